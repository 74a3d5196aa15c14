package tessera.catalog

import java.io.IOException
import java.net.HttpURLConnection
import java.net.URL

/** A URL of a service becomes a part of markup and headers, so it has no character that ends it there. */
internal fun isServiceURL(url: String): Boolean {
    val start = if (url.startsWith("http://")) 7 else if (url.startsWith("https://")) 8 else return false
    return url.length > start && url.none { it <= ' ' || it in '\u007f'..'\u009f' || it in "\"<>\\" }
}

/** Whether paths may be joined to a URL: one of the web, or one without a scheme, which is relative to the catalog's. */
internal fun isBase(url: String) =
    if (':' in url.takeWhile { it != '/' }) isServiceURL(url) else url == "" || isServiceURL("http://$url")

/** A URL begins with a scheme (RFC 3986, section 3.1), and then with a host. */
private val scheme = Regex("[A-Za-z][A-Za-z0-9+.-]*:")
private val root = Regex("(?:${scheme.pattern})?(?://[^/]*)?")
internal fun hasScheme(url: String) = scheme.find(url)?.range?.first == 0

/**
 * Resolves a reference against the URL of the catalog (RFC 3986, section 5.2; of dot segments only those with two dots at the
 * start are removed, which lead from a screen to the catalog's folder).
 */
internal fun resolve(base: String, source: String?): String {
    if (source == null || hasScheme(base)) return base
    val whole = source.takeWhile { it != '?' && it != '#' }
    val root = root.find(whole)?.value ?: ""
    // With the scheme of the catalog, if it has one.
    if (base.startsWith("//")) return root.substringBefore("//", root) + base
    if (base.startsWith("/")) return root + base
    val path = whole.drop(root.length)
    var folder = if ('/' in path) path.substringBeforeLast('/') + "/" else if (root == "") "" else "/"
    var rest = base
    while (rest.startsWith("../") && folder != "") {
        rest = rest.drop(3)
        // Nothing is above the root.
        if (folder != "/") folder = folder.take(folder.lastIndexOf('/', folder.length - 2) + 1)
    }
    return root + folder + rest
}

/**
 * A GET on the calling thread, which a cache has confirmed by the server: the body of status 200; null for 404 and 410, and for
 * 403, which an object store that may not be listed answers for what is not there. Throws for any other status.
 */
internal fun get(url: String): ByteArray? {
    val connection = URL(url).openConnection() as HttpURLConnection
    connection.connectTimeout = 15_000
    connection.readTimeout = 15_000
    connection.setRequestProperty("Cache-Control", "max-age=0")
    return when (val status = connection.responseCode) {
        200 -> connection.inputStream.use { it.readBytes() }
        403, 404, 410 -> null
        else -> throw IOException("$url: the server answered $status")
    }
}

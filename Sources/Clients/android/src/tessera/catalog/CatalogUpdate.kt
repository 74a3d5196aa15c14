package tessera.catalog

/**
 * The URL of the patch that leads from this catalog to the current one. A run writes it beside `catalog.json`; there is none for a
 * catalog that is too old, or that was never published.
 *
 * @param source the URL of the catalog. Its query and its fragment are left out, as in the URLs of files.
 * @return null if the catalog has no [Catalog.digest] of 64 hexadecimal digits.
 */
fun Catalog.patchURL(source: String): String? {
    val digest = digest ?: return null
    if (digest.length != 64 || !digest.all { it in '0'..'9' || it in 'a'..'f' }) return null
    return CatalogContext.resolve("from-$digest.json", source)
}

/**
 * The catalog that a patch leads to, if that is certain: the patch is for this catalog, and the result has the digest that the
 * patch states. This catalog, without work, if the patch states that it is the current one.
 *
 * @param bytes what [patchURL] returned.
 * @return null if the whole catalog has to be fetched: the bytes are not a patch, or one for another catalog, or the catalog has
 *   members that this version does not know.
 */
fun Catalog.patched(bytes: ByteArray): Catalog? {
    try {
        val patch = CatalogPatch.read(bytes)
        if (patch.from == null || patch.from != digest || patch.to == null) return null
        if (patch.to == patch.from) return this
        val result = patch.appliedTo(this)
        return if (result.digest == patch.to && result.contentDigest() == patch.to) result else null
    } catch (error: CatalogException) {
        return null
    }
}

/**
 * The current catalog, from the one that the app has: by a patch if the server has one, or else as a whole. It is verified by
 * its digest. The same object means that nothing has changed. What `fetch` throws is passed on; the app then keeps its catalog.
 *
 * @param url of the catalog.
 * @param fetch a GET on the calling thread, which returns the body of status 200, and null for 404 and 410, and
 *   for 403, which an object store that may not be listed answers for what is not there. It throws for
 *   any other status, and has a cached answer confirmed by the server.
 * @throws CatalogException if there is no catalog, or if it was altered.
 */
fun updateCatalog(catalog: Catalog, url: String, fetch: (url: String) -> ByteArray?): Catalog {
    catalog.patchURL(url)?.let(fetch)?.let { catalog.patched(it) }?.let { return it }
    val bytes = fetch(url) ?: throw CatalogException(1, 1, "", "there is no catalog at $url")
    return Catalog.read(bytes, checksDigest = true)
}

package tessera.check

import android.content.Context
import android.net.ConnectivityManager
import android.net.Network
import android.os.Handler
import android.provider.Settings
import android.widget.ImageView
import tessera.catalog.CatalogIndex
import tessera.catalog.Motion
import tessera.catalog.Prefetch
import tessera.catalog.Prefetcher
import tessera.loaders.CatalogScreen
import tessera.loaders.timer

/** The three states of views, with stubs of Android whose main thread and network are the test's. */
class Screen(document: ByteArray, private val check: Check) {
    private val index = CatalogIndex(document, everything)
    private val context = Context()
    private val connectivity = context.getSystemService(Context.CONNECTIVITY_SERVICE) as ConnectivityManager
    private val log = ArrayList<String>()
    private val ends = LinkedHashMap<String, (Boolean) -> Unit>()
    private val drawn = ArrayList<String>()
    private var now = 0.0
    private val prefetcher = Prefetcher(Prefetch(), { false }, ::timer, { now }) { file, isVisible, ended ->
        log.add("${if (isVisible) "+" else "~"}${name(file.reference)}")
        ends[name(file.reference)] = ended
        return@Prefetcher { log.add("-${name(file.reference)}") }
    }
    private val screen = CatalogScreen(context, prefetcher) { _, file -> if (file != null) drawn.add(name(file.reference)) }

    private val names = listOf("portrait", "wide", "dance", "spin").associateBy { file(it)?.reference }

    private fun name(reference: String) = names[reference] ?: reference

    private fun file(id: String) = index.image(id)?.file("card", 1.0) ?: index.image(id)?.file("cover", 1.0)

    private fun show(view: ImageView, id: String) = index.image(id)?.let { screen.show(view, it, file(id)) }

    fun run() {
        val views = List(3) { ImageView() }
        show(views[0], "portrait")
        show(views[1], "dance")
        check.equal(views.map { it.animation != null }, listOf(true, true, false), "what waits pulses")
        check.equal(views[0].shown != null, true, "and shows the placeholder")
        check.equal(log, emptyList<String>(), "nothing is loaded before the turn ends")
        screen.upcoming = listOfNotNull(file("spin"))
        Handler.run()
        news("+portrait +dance ~spin", "the first screen, from top to bottom, and what is upcoming")
        ends["portrait"]?.invoke(true)
        check.equal(drawn, listOf("portrait"), "loaded")
        check.equal(views[0].animation, null, "it stands still")
        ends["dance"]?.invoke(false)
        check.equal(views[1].animation == null && views[1].shown != null && views[1].click != null, true, "failed")
        now += 0.5
        views[1].click?.invoke(views[1])
        news("+dance", "a tap")
        check.equal(views[1].animation != null && views[1].click == null, true, "it loads again")
        ends["dance"]?.invoke(false)
        check.equal(connectivity.callbacks.size, 1, "the network is watched")
        connectivity.callbacks[0].onAvailable(Network())
        Handler.run()
        news("+dance", "the network returned")
        ends["dance"]?.invoke(false)
        now += 4
        Handler.run(4_001)
        news("+dance", "after a while")
        ends["dance"]?.invoke(false)
        screen.hide(views[1])
        Handler.run()
        show(views[1], "dance")
        Handler.run()
        news("+dance", "it appears again")
        ends["dance"]?.invoke(true)
        check.equal(drawn, listOf("portrait", "dance"), "loaded at last")

        val other = index.image("portrait")?.variants?.last()?.files?.first()
        views[2].setOnClickListener { log.add("app") }
        index.image("portrait")?.let { screen.show(views[2], it, other) }
        check.equal(drawn.last(), "portrait", "another size that is at hand")
        check.equal(views[2].animation, null, "which stands still")
        Handler.run()
        news("+${other?.reference}", "until its file has loaded")
        ends[other?.reference.toString()]?.invoke(false)
        views[2].click?.invoke(views[2])
        news("app", "a click listener of the app's stays")

        show(views[0], "gone")
        check.equal(views[0].shown != null && views[0].click == null, true, "nothing to try again")
        show(views[0], "spin")
        Handler.run()
        news("", "an upcoming file becomes visible, and is not loaded twice")
        ends["spin"]?.invoke(true)
        check.equal(drawn.last(), "spin", "the view shows its last image")
        check.equal(screen.motion, Motion.AUTO, "motion")
        Settings.Global.scale = 0f
        check.equal(screen.motion, Motion.STILL, "less motion")
        show(views[2], "wide")
        check.equal(views[2].animation, null, "what waits does not pulse")
        Handler.run()
        screen.close()
        Handler.run()
        news("+wide -wide", "the screen closes")
        check.equal(connectivity.callbacks.size, 0, "the network is not watched any more")
        check.equal(Handler.posted.size, 0, "no timer is left")
    }

    private fun news(expected: String, about: String) {
        check.equal(log.joinToString(" "), expected, about)
        log.clear()
    }
}

package tessera.loaders

import android.content.Context
import android.os.Build
import androidx.work.Constraints
import androidx.work.ExistingWorkPolicy
import androidx.work.NetworkType
import androidx.work.OneTimeWorkRequestBuilder
import androidx.work.WorkManager
import androidx.work.Worker
import androidx.work.WorkerParameters
import coil.executeBlocking
import coil.imageLoader
import coil.request.ErrorResult
import java.io.File
import tessera.catalog.CatalogIndex
import tessera.catalog.androidTypes

/**
 * Loads files of a stored catalog into Coil's cache on disk, in the background with WorkManager. For an app to copy, with
 * CoilCatalog.kt: the file, the URL, the number of images, the slot and the scale are the app's.
 */
class LoadFiles(context: Context, parameters: WorkerParameters) : Worker(context, parameters) {
    override fun doWork(): Result {
        val stored = File(applicationContext.filesDir, "catalog.json")
        val index = CatalogIndex.open(stored, androidTypes(Build.VERSION.SDK_INT), "https://example.com/feed/catalog.json")
        val coil = CoilCatalog(applicationContext, applicationContext.imageLoader)
        val files = index.images.take(50).mapNotNull { it.file("card", 3.0) }
        val results = files.map { coil.loader.executeBlocking(coil.request(it).build()) }
        return if (results.any { it is ErrorResult }) Result.retry() else Result.success()
    }
}

/** Starts the work when the device is on a network that is not metered. */
fun loadFiles(context: Context) {
    val unmetered = Constraints.Builder().setRequiredNetworkType(NetworkType.UNMETERED).build()
    val work = OneTimeWorkRequestBuilder<LoadFiles>().setConstraints(unmetered).build()
    WorkManager.getInstance(context).enqueueUniqueWork("files", ExistingWorkPolicy.KEEP, work)
}

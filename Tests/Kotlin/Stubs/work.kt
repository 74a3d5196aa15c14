// Stubs: the declarations of WorkManager 2 that Sources/Clients/android uses. Nothing is run.
@file:Suppress("UNUSED_PARAMETER")

package androidx.work

import android.content.Context

class WorkerParameters

abstract class ListenableWorker(val applicationContext: Context) {
    abstract class Result {
        companion object {
            fun success(): Result = throw NotImplementedError()
            fun retry(): Result = throw NotImplementedError()
        }
    }
}

abstract class Worker(context: Context, parameters: WorkerParameters) : ListenableWorker(context) {
    abstract fun doWork(): Result
}

enum class NetworkType { UNMETERED }

enum class ExistingWorkPolicy { KEEP }

class Constraints {
    class Builder {
        fun setRequiredNetworkType(type: NetworkType): Builder = this
        fun build() = Constraints()
    }
}

class OneTimeWorkRequest {
    class Builder {
        fun setConstraints(constraints: Constraints): Builder = this
        fun build() = OneTimeWorkRequest()
    }
}

@Suppress("FunctionName")
inline fun <reified Work : ListenableWorker> OneTimeWorkRequestBuilder() = OneTimeWorkRequest.Builder()

class WorkManager {
    fun enqueueUniqueWork(name: String, policy: ExistingWorkPolicy, work: OneTimeWorkRequest) = Unit

    companion object {
        fun getInstance(context: Context) = WorkManager()
    }
}

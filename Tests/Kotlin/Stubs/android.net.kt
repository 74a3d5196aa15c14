// Stubs: the declarations of Android that Sources/Clients/android uses, so that its code can be compiled; tests say when the network returns.
@file:Suppress("UNUSED_PARAMETER")

package android.net

class Network

class NetworkRequest {
    class Builder {
        fun build() = NetworkRequest()
    }
}

class ConnectivityManager {
    abstract class NetworkCallback {
        open fun onAvailable(network: Network) = Unit
    }

    val callbacks = ArrayList<NetworkCallback>()

    fun registerNetworkCallback(request: NetworkRequest, callback: NetworkCallback) {
        callbacks.add(callback)
    }

    fun unregisterNetworkCallback(callback: NetworkCallback) {
        callbacks.remove(callback)
    }
}

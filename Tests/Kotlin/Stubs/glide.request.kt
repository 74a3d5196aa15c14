// Stubs: the declarations of Glide 4 that Sources/Clients/android uses, so that its code can be compiled. Nothing is run.
package com.bumptech.glide.request

import com.bumptech.glide.load.DataSource
import com.bumptech.glide.load.engine.GlideException
import com.bumptech.glide.request.target.Target

interface RequestListener<Value> {
    fun onLoadFailed(e: GlideException?, model: Any?, target: Target<Value>, isFirstResource: Boolean): Boolean

    fun onResourceReady(
        resource: Value, model: Any, target: Target<Value>, dataSource: DataSource, isFirstResource: Boolean
    ): Boolean
}

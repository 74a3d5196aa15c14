// Stubs: the declarations of Glide 4 that Sources/Clients/android uses, so that its code can be compiled. Nothing is run.
@file:Suppress("UNUSED_PARAMETER")

package com.bumptech.glide

import android.content.Context
import android.graphics.drawable.Drawable
import android.view.View
import android.widget.ImageView
import com.bumptech.glide.request.RequestListener
import com.bumptech.glide.request.target.Target

class RequestManager {
    fun load(model: Any?): RequestBuilder<Drawable> = RequestBuilder()
    fun clear(target: Target<*>?) = Unit
    fun clear(view: View) = Unit
}

enum class Priority { HIGH, LOW }

class RequestBuilder<Value> {
    fun priority(priority: Priority): RequestBuilder<Value> = this
    fun override(width: Int, height: Int): RequestBuilder<Value> = this
    fun dontTransform(): RequestBuilder<Value> = this
    fun addListener(requestListener: RequestListener<Value>?): RequestBuilder<Value> = this
    fun preload(width: Int, height: Int): Target<Value> = throw NotImplementedError()
    fun into(view: ImageView) = Unit
}

object Glide {
    fun with(context: Context): RequestManager = RequestManager()
}

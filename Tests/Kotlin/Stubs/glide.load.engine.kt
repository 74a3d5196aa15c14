// Stubs: the declarations of Glide 4 that Sources/Clients/android uses, so that its code can be compiled. Nothing is run.
package com.bumptech.glide.load.engine

class GlideException : Exception()

// Stubs: the declarations of Glide 4 that Sources/Clients/android uses, so that its code can be compiled. Nothing is run.
package com.bumptech.glide.request.target

interface Target<Value>

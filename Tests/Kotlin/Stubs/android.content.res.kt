// Stubs: the declarations of Android that Sources/Clients/android uses, so that its code can be compiled. Nothing is run.
package android.content.res

class Resources

// On Apple's systems Core Graphics is a module of its own; see SwiftUI.swift.
@_exported import SwiftUI

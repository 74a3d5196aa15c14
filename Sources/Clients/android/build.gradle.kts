// The library as a project of an app's build, which states the version of the Kotlin plugin and the repositories. Coordinates
// and licence are those of pom.xml.
import javax.xml.parsers.DocumentBuilderFactory

plugins {
    kotlin("jvm")
    `java-library`
    `maven-publish`
}

val pomElement = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file("pom.xml")).documentElement

/** The text of the first element with a name: the coordinates of the library come before those of what it uses. */
fun fact(name: String): String = pomElement.getElementsByTagName(name).item(0).textContent.trim()

group = fact("groupId")
version = fact("version")

kotlin.sourceSets["main"].kotlin.srcDir("src")
java.withSourcesJar()

dependencies {
    api(kotlin("stdlib"))
}

publishing.publications.create<MavenPublication>("library") {
    from(components["java"])
    artifactId = fact("artifactId")
    pom.licenses { license { name.set(fact("license")) } }
}

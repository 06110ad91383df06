plugins {
    kotlin("jvm") version "1.9.22"
    application
}

group = "org.parcelo"
version = "2.3.0"

repositories {
    mavenCentral()
}

dependencies {
    implementation("io.ktor:ktor-server-netty:2.3.7")
    implementation("ch.qos.logback:logback-classic:1.4.14")
    testImplementation(kotlin("test"))
}

kotlin {
    jvmToolchain(17)
}

application {
    mainClass.set("org.parcelo.MainKt")
}

package run.ui

enum class Units { METRIC, IMPERIAL }

data class SettingsState(
    val units: Units = Units.METRIC,
    val stepLengthCm: Int = 78,
    val voiceCues: Boolean = true,
)

sealed interface SettingsEvent {
    data class Units(val value: run.ui.Units) : SettingsEvent
    data object Export : SettingsEvent
    data object Calibrate : SettingsEvent
}

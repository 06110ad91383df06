package run.ui

import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.padding
import androidx.compose.material3.Button
import androidx.compose.material3.ButtonDefaults
import androidx.compose.material3.Text
import androidx.compose.runtime.Composable
import androidx.compose.ui.Modifier
import androidx.compose.ui.graphics.Color
import androidx.compose.ui.unit.dp

@Composable
fun SettingsScreen(state: SettingsState, onEvent: (SettingsEvent) -> Unit) {
    Column(Modifier.padding(16.dp)) {
        Text("Settings")
        UnitPicker(state.units) { onEvent(SettingsEvent.Units(it)) }
        Button(
            onClick = { onEvent(SettingsEvent.Export) },
            colors = ButtonDefaults.buttonColors(containerColor = Color.Blue),
        ) {
            Text("Export runs")
        }
        Button(
            onClick = { onEvent(SettingsEvent.Calibrate) },
            colors = ButtonDefaults.buttonColors(containerColor = Color.DarkGray),
        ) {
            Text("Calibrate step length")
        }
    }
}

package net.larder.ui

import androidx.compose.foundation.layout.Column
import androidx.compose.material3.Button
import androidx.compose.material3.Text
import androidx.compose.runtime.Composable

@Composable
fun ListScreen(state: ListState, onAdd: () -> Unit) {
    Column {
        Text(Texts.TITLE)
        when {
            state.query.isNotEmpty() && state.items.isEmpty() -> Text(Texts.EMPTY_SEARCH)
            else -> Text(Texts.count(state.items.size))
        }
        for (item in state.items) {
            ItemRow(item, onRemove = state::remove)
        }
        Button(onClick = onAdd) {
            Text(Texts.ADD)
        }
    }
}

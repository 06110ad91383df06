import SwiftUI

struct PlantListView: View {
    @EnvironmentObject private var store: PlantStore
    @State private var showingAdd = false

    var body: some View {
        NavigationStack {
            List {
                ForEach(store.plants) { plant in
                    PlantRow(plant: plant)
                        .swipeActions {
                            Button("Water") { store.water(plant) }
                                .tint(.blue)
                        }
                }
            }
            .navigationTitle("Plants")
            .toolbar {
                Button {
                    showingAdd = true
                } label: {
                    Image(systemName: "plus")
                }
            }
            .sheet(isPresented: $showingAdd) {
                AddPlantView()
            }
        }
    }
}

private struct PlantRow: View {
    let plant: Plant

    var body: some View {
        HStack {
            VStack(alignment: .leading, spacing: 2) {
                Text(plant.name)
                    .font(.headline)
                Text(plant.room)
                    .font(.subheadline)
                    .foregroundColor(.gray)
            }
            Spacer()
            if plant.isThirsty() {
                Image(systemName: "drop.fill")
                    .foregroundColor(.blue)
            }
        }
    }
}

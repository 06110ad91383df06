import SwiftUI

struct WalkListView: View {
    @ObservedObject var model: WalkModel

    var body: some View {
        NavigationStack {
            List(model.walks) { walk in
                VStack(alignment: .leading) {
                    Text(walk.name).font(.headline)
                    Text("\(walk.kilometres, specifier: "%.1f") km")
                        .foregroundStyle(.secondary)
                }
            }
            .navigationTitle("Walks")
        }
    }
}

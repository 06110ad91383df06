import Foundation
import Combine

@MainActor
final class PlantStore: ObservableObject {
    @Published private(set) var plants: [Plant] = []

    private let fileURL: URL
    private var saveTask: Task<Void, Never>?

    init(fileURL: URL? = nil) {
        self.fileURL = fileURL ?? PlantStore.defaultURL
        load()
    }

    static var defaultURL: URL {
        FileManager.default
            .urls(for: .documentDirectory, in: .userDomainMask)[0]
            .appendingPathComponent("plants.json")
    }

    func add(name: String, room: String, intervalDays: Int = 7) {
        let plant = Plant(
            id: UUID(),
            name: name,
            room: room,
            intervalDays: intervalDays,
            lastWatered: nil
        )
        plants.append(plant)
        scheduleSave()
    }

    func water(_ plant: Plant, at date: Date = Date()) {
        guard let index = plants.firstIndex(where: { $0.id == plant.id }) else { return }
        plants[index].lastWatered = date
        scheduleSave()
    }

    func remove(_ plant: Plant) {
        plants.removeAll { $0.id == plant.id }
    }

    func rename(_ plant: Plant, to name: String) {
        guard let index = plants.firstIndex(where: { $0.id == plant.id }) else { return }
        plants[index].name = name
        scheduleSave()
    }

    var rooms: [String] {
        Array(Set(plants.map(\.room)))
    }

    private func load() {
        guard let data = try? Data(contentsOf: fileURL) else { return }
        do {
            plants = try JSONDecoder().decode([Plant].self, from: data)
        } catch {
            print("could not read plants: \(error)")
        }
    }

    private func scheduleSave() {
        saveTask?.cancel()
        saveTask = Task {
            try? await Task.sleep(nanoseconds: 500_000_000)
            guard !Task.isCancelled else { return }
            save()
        }
    }

    private func save() {
        do {
            let data = try JSONEncoder().encode(plants)
            try data.write(to: fileURL)
        } catch {
            print("could not save plants: \(error)")
        }
    }
}

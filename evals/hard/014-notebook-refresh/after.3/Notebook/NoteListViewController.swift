import UIKit

final class NoteListViewController: UITableViewController {

    private let service: NoteService
    private var notes: [Note] = []

    init(service: NoteService) {
        self.service = service
        super.init(style: .plain)
        title = "Notes"
    }

    required init?(coder: NSCoder) {
        fatalError("not used with storyboards")
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        refreshControl = UIRefreshControl()
        refreshControl?.addTarget(self, action: #selector(refresh), for: .valueChanged)
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        notes = service.cachedNotes()
        tableView.reloadData()
    }

    @objc private func refresh() {
        service.fetchNotes { [weak self] fresh in
            guard let self = self else { return }
            self.notes = fresh
            self.tableView.reloadData()
            self.refreshControl?.endRefreshing()
        }
    }

    func remove(at index: Int) {
        service.delete(notes[index])
        notes.remove(at: index)
        tableView.reloadData()
    }

    override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
        return notes.count
    }

    override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cell = UITableViewCell(style: .subtitle, reuseIdentifier: nil)
        cell.textLabel?.text = notes[indexPath.row].title
        cell.detailTextLabel?.text = notes[indexPath.row].day
        return cell
    }
}

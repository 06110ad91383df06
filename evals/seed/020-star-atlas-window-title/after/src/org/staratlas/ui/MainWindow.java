package org.staratlas.ui;

import java.awt.BorderLayout;
import java.awt.Dimension;
import javax.swing.JFrame;
import javax.swing.JLabel;
import javax.swing.JMenu;
import javax.swing.JMenuBar;
import javax.swing.JMenuItem;
import javax.swing.JOptionPane;

public class MainWindow extends JFrame {
    private final SkyPanel sky;
    private final JLabel status = new JLabel("Ready");

    public MainWindow(SkyPanel sky) {
        super("Star Atlas");
        this.sky = sky;
        setDefaultCloseOperation(EXIT_ON_CLOSE);
        setMinimumSize(new Dimension(800, 600));
        setJMenuBar(buildMenu());
        add(sky, BorderLayout.CENTER);
        add(status, BorderLayout.SOUTH);
        pack();
    }

    private JMenuBar buildMenu() {
        JMenu file = new JMenu("Map");
        file.add(item("New", () -> sky.load(SkyMap.empty("Untitled"))));
        file.add(item("Print", sky::print));
        file.add(item("Quit", this::dispose));

        JMenu help = new JMenu("Help");
        help.add(item("About", this::showAbout));

        JMenuBar bar = new JMenuBar();
        bar.add(file);
        bar.add(help);
        return bar;
    }

    private JMenuItem item(String text, Runnable action) {
        JMenuItem item = new JMenuItem(text);
        item.addActionListener(event -> action.run());
        return item;
    }

    private void showAbout() {
        JOptionPane.showMessageDialog(this, "Stars down to magnitude 9", "About", JOptionPane.PLAIN_MESSAGE);
    }

    public void showStatus(String text) {
        status.setText(text);
    }
}

package org.staratlas;

import javax.swing.SwingUtilities;
import org.staratlas.ui.MainWindow;
import org.staratlas.ui.SkyPanel;

public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        SwingUtilities.invokeLater(() -> new MainWindow(new SkyPanel()).setVisible(true));
    }
}

package io.example.greenhouse;

import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Passes what the sensors report on to the control room. */
public class SensorBridge {

    private final Sensors sensors;
    private final Link socket;
    private final ValueQueue queue;
    private ScheduledExecutorService executor;
    private volatile boolean running;

    public SensorBridge(Sensors sensors, Link socket) {
        this.sensors = sensors;
        this.socket = socket;
        this.queue = new ValueQueue(socket);
    }

    public synchronized void start() throws IOException {
        if (running) {
            return;
        }
        socket.open();
        executor = Executors.newSingleThreadScheduledExecutor();
        executor.scheduleAtFixedRate(this::poll, 0, 5, TimeUnit.SECONDS);
        running = true;
    }

    public synchronized void restart() throws IOException {
        executor.shutdown();
        queue.flush();
        socket.close();
        running = false;
        start();
    }

    public synchronized void stop() throws IOException {
        if (!running) {
            return;
        }
        running = false;
        executor.shutdown();
        socket.close();
        queue.flush();
        sensors.sleep();
    }

    private void poll() {
        for (Sensor sensor : sensors.all()) {
            try {
                queue.add(sensor.id(), sensor.read());
            } catch (IOException e) {
                queue.addFailure(sensor.id());
            }
        }
    }

    public boolean isRunning() {
        return running;
    }
}

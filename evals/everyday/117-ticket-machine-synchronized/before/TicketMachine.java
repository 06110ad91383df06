package queueing;

import java.util.ArrayDeque;
import java.util.Deque;

/** Hands out numbers to waiting customers. */
public class TicketMachine {

    private final Deque<Integer> waiting = new ArrayDeque<>();
    private int last;

    public int nextNumber() {
        last++;
        waiting.addLast(last);
        return last;
    }

    public synchronized Integer callNext() {
        return waiting.pollFirst();
    }

    public synchronized int waitingCount() {
        return waiting.size();
    }

    public int peopleBefore(int number) {
        int count = 0;
        for (int other : waiting) {
            if (other < number) {
                count++;
            }
        }
        return count;
    }
}

import java.util.Scanner;

public class WordStats {
    private int count;
    private int longest;

    public void read(Scanner in) {
        while (in.hasNext()) {
            String word = in.next();
            count++;
            longest = Math.max(longest, word.length());
        }
    }

    public int getCount() {
        return count;
    }

    public String summary() {
        return count + " words, longest has " + longest + " letters";
    }
}

import java.util.Scanner;

public class WordStats {
    private int cnt;
    private int longest;

    public void read(Scanner in) {
        while (in.hasNext()) {
            String word = in.next();
            cnt++;
            longest = Math.max(longest, word.length());
        }
    }

    public int getCount() {
        return cnt;
    }

    public String summary() {
        return cnt + " words, longest has " + longest + " letters";
    }
}

import java.util.Scanner;

public class WordStats {
    private int wordCount;
    private int longest;

    public void read(Scanner in) {
        while (in.hasNext()) {
            String word = in.next();
            wordCount++;
            longest = Math.max(longest, word.length());
        }
    }

    public int getCount() {
        return wordCount;
    }

    public String summary() {
        return wordCount + " words, longest has " + longest + " letters";
    }
}

package org.villagelibrary.desk;

import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

public class ReturnDesk {
    private final Shelves shelves;
    private final Deque<Book> cart = new ArrayDeque<>();

    public ReturnDesk(Shelves shelves) {
        this.shelves = shelves;
    }

    public void takeBack(Book book, LocalDate today) {
        book.setReturnedOn(today);
        if (book.isReserved()) {
            shelves.reservationRack().add(book);
        } else if (cart.size() >= 25) {
            emptyCart();
            shelveBook(book);
        } else {
            cart.push(book);
        }
    }

    public void takeBackAll(List<Book> books, LocalDate today) {
        for (Book book : books) {
            takeBack(book, today);
        }
    }

    public void emptyCart() {
        while (!cart.isEmpty()) {
            shelveBook(cart.pop());
        }
    }

    public int cartSize() {
        return cart.size();
    }

    private void shelveBook(Book book) {
        Shelf shelf = shelves.find(book.signature());
        if (shelf == null) {
            shelf = shelves.overflow();
        }
        shelf.put(book);
    }
}

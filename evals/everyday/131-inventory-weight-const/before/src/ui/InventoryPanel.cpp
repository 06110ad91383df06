#include "InventoryPanel.h"

#include "../game/Inventory.h"

void InventoryPanel::draw(Canvas& canvas, Inventory& inventory) {
    int y = 20;
    for (const Item& item : inventory.items()) {
        canvas.text(10, y, item.name);
        y += 14;
    }
    canvas.bar(10, y, inventory.totalWeight(), inventory.capacity());
}

#pragma once

#include "Canvas.h"

class Inventory;

class InventoryPanel {
public:
    void draw(Canvas& canvas, Inventory& inventory);
};

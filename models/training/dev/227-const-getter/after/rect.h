#ifndef RECT_H
#define RECT_H

class Rect {
  public:
    Rect(int x, int y, int w, int h) : x_(x), y_(y), w_(w), h_(h) {}

    int width() const { return w_; }
    int height() const { return h_; }
    long area() const { return static_cast<long>(w_) * h_; }

    bool contains(int px, int py) const {
        return px >= x_ && px < x_ + w_ && py >= y_ && py < y_ + h_;
    }

  private:
    int x_, y_, w_, h_;
};

#endif

#include "TextureCache.h"

#include <filesystem>
#include <utility>

#include <spdlog/spdlog.h>

#include "Image.h"

namespace engine {

TextureCache::TextureCache(Renderer& renderer, std::filesystem::path folder)
    : renderer_(renderer), folder_(std::move(folder)) {
    fallback_ = renderer_.upload(Image::solid(2, 2, 0xff00ffff));
}

TextureCache::~TextureCache() {
    clear();
    renderer_.release(fallback_);
}

TextureId TextureCache::get(const std::string& name) {
    auto known = textures_.find(name);
    if (known != textures_.end()) {
        return known->second;
    }

    const auto path = folder_ / (name + ".png");
    if (!std::filesystem::exists(path)) {
        return fallback_;
    }

    const auto image = Image::load(path);
    const TextureId id = renderer_.upload(image);
    textures_.emplace(name, id);
    spdlog::debug("texture {} loaded, {}x{}", name, image.width(), image.height());
    return id;
}

bool TextureCache::drop(const std::string& name) {
    auto known = textures_.find(name);
    if (known == textures_.end()) {
        return false;
    }
    renderer_.release(known->second);
    textures_.erase(known);
    return true;
}

void TextureCache::clear() {
    for (const auto& [name, id] : textures_) {
        renderer_.release(id);
    }
    spdlog::info("{} textures released", textures_.size());
    textures_.clear();
}

std::size_t TextureCache::size() const {
    return textures_.size();
}

}  // namespace engine

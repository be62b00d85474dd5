// Images of evaluated scripts, the most recently used ones.
import { IMAGE_CACHE_BYTES } from '#main/sandbox/limits.ts';
import type { Image } from '#main/sandbox/vm/image.ts';

export interface ImageCache {
  get(key: string): Image | undefined;
  set(key: string, image: Image): void;
}

export function createImageCache(maxBytes = IMAGE_CACHE_BYTES): ImageCache {
  const images = new Map<string, Image>();
  let bytes = 0;
  return {
    get(key) {
      const image = images.get(key);
      if (image) {
        // A Map keeps the order of insertion: the last is the most recently used.
        images.delete(key);
        images.set(key, image);
      }
      return image;
    },
    set(key, image) {
      const size = (at: string, of: Image): number => of.bytes.length + at.length * 2;
      images.set(key, image);
      bytes += size(key, image);
      for (const [oldest, dropped] of images) {
        if (bytes <= maxBytes) break;
        images.delete(oldest);
        bytes -= size(oldest, dropped);
      }
    },
  };
}

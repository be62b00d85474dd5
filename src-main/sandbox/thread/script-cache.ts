// LRU cache of memory images of evaluated scripts. The key is the file name and the code, so an
// entry never becomes stale; the least recently used entries are evicted when the cache is full.
import { SCRIPT_CACHE_BYTES } from '#main/sandbox/limits.ts';
import type { MemoryImage } from '#main/sandbox/thread/memory-image.ts';

export interface ScriptCache {
  get(key: string): MemoryImage | undefined;
  set(key: string, image: MemoryImage): void;
}

export function createScriptCache(maxBytes = SCRIPT_CACHE_BYTES): ScriptCache {
  // A Map iterates in insertion order: the first entry is the least recently used.
  const images = new Map<string, MemoryImage>();
  let bytes = 0;
  const sizeOf = (key: string, image: MemoryImage): number => image.bytes.length + key.length * 2;

  function remove(key: string): MemoryImage | undefined {
    const image = images.get(key);
    if (!image) return undefined;
    images.delete(key);
    bytes -= sizeOf(key, image);
    return image;
  }

  function set(key: string, image: MemoryImage): void {
    remove(key);
    images.set(key, image);
    bytes += sizeOf(key, image);
    for (const oldest of images.keys()) {
      if (bytes <= maxBytes) break;
      remove(oldest);
    }
  }

  return {
    get(key) {
      const image = remove(key);
      if (image) set(key, image);
      return image;
    },
    set,
  };
}

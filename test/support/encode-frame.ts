// Encodes one frame of the sync protocol.
import { encodeHead, type FrameKind } from '#shared/sync/frames.ts';

export function encodeFrame(kind: FrameKind, content: Uint8Array): Uint8Array {
  const head = encodeHead(kind, content.length);
  const frame = new Uint8Array(head.length + content.length);
  frame.set(head);
  frame.set(content, head.length);
  return frame;
}

// A QR code as one SVG path. Always dark on white, because some cameras can't read inverted codes.
import { encode } from 'uqr';

interface Props {
  readonly content: string;
  readonly label: string;
}

/** Quiet zone required by the QR standard. */
const QUIET_ZONE = 4;

export function QrCode({ content, label }: Props) {
  const { size, data } = encode(content, { border: 0 });
  const dark = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  const full = size + 2 * QUIET_ZONE;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`${-QUIET_ZONE} ${-QUIET_ZONE} ${full} ${full}`}
      shapeRendering="crispEdges"
      className="size-56 shrink-0 rounded-lg bg-[white] ring-1 ring-line"
    >
      <path d={dark} fill="black" />
    </svg>
  );
}

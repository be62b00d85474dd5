// The logo: a holdfast, the root with which kelp grips rock.

export function Logo() {
  return (
    <svg
      aria-hidden
      viewBox="0 0 32 32"
      className="size-5.5 shrink-0"
      fill="none"
      strokeWidth="2.4"
      strokeLinecap="round"
    >
      <rect width="32" height="32" rx="8" className="fill-accent-fill" />
      <path
        d="M16 6v12M16 12c-3-1-5-3-5-6M16 14c3-1 5-3 5-6M16 18c0 4-3 7-8 7M16 18c0 4 3 7 8 7M16 18v8"
        className="stroke-on-accent"
      />
    </svg>
  );
}

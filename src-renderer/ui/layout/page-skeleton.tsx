export function PageSkeleton({ label }: { readonly label: string }) {
  return (
    <div
      role="status"
      aria-label={label}
      className="grid gap-3 rounded-lg bg-surface p-4 shadow-raised ring-1 ring-line"
    >
      {['w-64', 'w-80', 'w-52', 'w-72'].map((width) => (
        <span key={width} className={`skeleton h-3.5 max-w-full ${width}`} />
      ))}
    </div>
  );
}

// A small chart of one hour. Each minute is readable by pointer, by arrow keys and as a table.
// Hand-drawn SVG, because most chart libraries write inline styles, which our CSP forbids.
import { useId, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { clockTime } from '#renderer/format/format-time.ts';
import { MINUTE_COUNT, roundUp, type Minute } from '#renderer/metrics/last-hour.ts';
import { metricsText } from '#renderer/text/metrics-text.ts';
import { Disclosure } from '#renderer/ui/layout/disclosure.tsx';

const WIDTH = 480;
const HEIGHT = 96;
const PITCH = WIDTH / MINUTE_COUNT;

export interface Series {
  readonly name: string;
  /** Null draws nothing for this minute. */
  readonly valueIn: (minute: Minute) => number | null;
  readonly colour: string;
  readonly shape: 'bars' | 'line' | 'dashed';
}

interface Props {
  readonly title: string;
  readonly hint: string;
  readonly minutes: readonly Minute[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Describes one minute in words. */
  readonly describe: (minute: Minute) => string;
}

export function Chart({ title, hint, minutes, series, format, describe }: Props) {
  const titleId = useId();
  const [chosen, setChosen] = useState<number | null>(null);
  const highest = Math.max(
    0,
    ...minutes.flatMap((minute) => series.map(({ valueIn }) => valueIn(minute) ?? 0)),
  );
  const top = roundUp(highest);
  const shown = chosen === null ? null : (minutes[chosen] ?? null);
  const describeMinute = (minute: Minute): string =>
    `${clockTime(minute.at)} · ${minute.isKnown ? describe(minute) : metricsText.notRunning}`;
  return (
    <section
      aria-labelledby={titleId}
      className="grid content-start gap-2 rounded-lg bg-surface px-4 py-3 shadow-raised ring-1 ring-line"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h2 id={titleId} className="text-[0.8125rem] font-semibold">
          {title}
        </h2>
        <span className="tabular text-xs text-muted">
          {shown === null ? metricsText.atMost(format(highest)) : describeMinute(shown)}
        </span>
      </div>
      <Plot
        title={title}
        chosen={chosen}
        onChoose={setChosen}
        valueText={(index) => {
          const minute = minutes[index];
          return minute === undefined ? '' : describeMinute(minute);
        }}
      >
        {series.map((one) => (
          <Shape key={one.name} series={one} minutes={minutes} top={top} />
        ))}
      </Plot>
      <div className="tabular flex justify-between text-xs text-muted" aria-hidden>
        <span>{clockTime(minutes[0]?.at ?? 0)}</span>
        <Legend series={series} />
        <span>{clockTime(minutes.at(-1)?.at ?? 0)}</span>
      </div>
      <p className="text-xs text-muted">{hint}</p>
      <div className="text-[0.8125rem]">
        <Disclosure label={metricsText.asTable} subject={title}>
          <ChartTable title={title} minutes={minutes} series={series} format={format} />
        </Disclosure>
      </div>
    </section>
  );
}

interface PlotProps {
  readonly title: string;
  readonly chosen: number | null;
  readonly onChoose: (index: number | null) => void;
  readonly valueText: (index: number) => string;
  readonly children: ReactNode;
}

function Plot({ title, chosen, onChoose, valueText, children }: PlotProps) {
  const point = (event: PointerEvent<HTMLElement>): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    onChoose(clampIndex(Math.floor(((event.clientX - left) / width) * MINUTE_COUNT)));
  };
  const step = (event: KeyboardEvent): void => {
    const to = targetIndex(event.key, chosen ?? MINUTE_COUNT - 1);
    if (to === null) return;
    event.preventDefault();
    onChoose(clampIndex(to));
  };
  const now = chosen ?? MINUTE_COUNT - 1;
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={metricsText.choose(title)}
      aria-valuemin={0}
      aria-valuemax={MINUTE_COUNT - 1}
      aria-valuenow={now}
      aria-valuetext={valueText(now)}
      onPointerMove={point}
      onPointerLeave={() => onChoose(null)}
      onFocus={() => onChoose(now)}
      onBlur={() => onChoose(null)}
      onKeyDown={step}
      className="rounded-sm"
    >
      <svg
        aria-hidden
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="block h-24 w-full overflow-visible"
      >
        {[0, HEIGHT / 2, HEIGHT].map((y) => (
          <line
            key={y}
            {...{ x1: 0, x2: WIDTH, y1: y, y2: y }}
            className="stroke-line"
            vectorEffect="non-scaling-stroke"
          />
        ))}
        {chosen === null ? null : (
          <rect x={chosen * PITCH} y={0} width={PITCH} height={HEIGHT} className="fill-line" />
        )}
        {children}
      </svg>
    </div>
  );
}

const clampIndex = (index: number): number => Math.min(Math.max(index, 0), MINUTE_COUNT - 1);

function targetIndex(key: string, from: number): number | null {
  if (key === 'ArrowLeft' || key === 'ArrowDown') return from - 1;
  if (key === 'ArrowRight' || key === 'ArrowUp') return from + 1;
  if (key === 'Home') return 0;
  return key === 'End' ? MINUTE_COUNT - 1 : null;
}

interface ShapeProps {
  readonly series: Series;
  readonly minutes: readonly Minute[];
  readonly top: number;
}

function Shape({ series: { valueIn, colour, shape }, minutes, top }: ShapeProps) {
  const heightOf = (value: number): number => (value / top) * HEIGHT;
  if (shape === 'bars') {
    return (
      <g className={colour}>
        {minutes.map((minute, index) => {
          const value = valueIn(minute) ?? 0;
          // Any value above zero stays visible.
          const height = value === 0 ? 0 : Math.max(heightOf(value), 1.5);
          return (
            <rect
              key={minute.at}
              x={index * PITCH + 1}
              y={HEIGHT - height}
              width={PITCH - 2}
              height={height}
              fill="currentColor"
            />
          );
        })}
      </g>
    );
  }
  return (
    <path
      d={linePath(minutes.map(valueIn), heightOf)}
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinejoin="round"
      strokeLinecap="round"
      strokeDasharray={shape === 'dashed' ? '4 4' : undefined}
      vectorEffect="non-scaling-stroke"
      className={colour}
    />
  );
}

/** A polyline with gaps where values are missing. A single minute is a short stroke. */
function linePath(values: readonly (number | null)[], heightOf: (value: number) => number): string {
  return values
    .map((value, index) => {
      if (value === null) return '';
      const y = (HEIGHT - heightOf(value)).toFixed(1);
      const isFirst = index === 0 || values[index - 1] === null;
      const begin = isFirst ? `M${index * PITCH} ${y}` : `L${index * PITCH} ${y}`;
      return `${begin}L${(index + 1) * PITCH} ${y}`;
    })
    .join('');
}

function Legend({ series }: { readonly series: readonly Series[] }) {
  if (series.length < 2) return null;
  return (
    <span className="flex gap-3">
      {series.map(({ name, colour, shape }) => (
        <span key={name} className="inline-flex items-center gap-1.5">
          <svg aria-hidden width="14" height="8" className={colour}>
            {shape === 'bars' ? (
              <rect width="14" height="8" rx="1.5" fill="currentColor" />
            ) : (
              <line
                {...{ x1: 0, x2: 14, y1: 4, y2: 4 }}
                stroke="currentColor"
                strokeWidth="2"
                strokeDasharray={shape === 'dashed' ? '4 3' : undefined}
              />
            )}
          </svg>
          {name}
        </span>
      ))}
    </span>
  );
}

type TableProps = Pick<Props, 'title' | 'minutes' | 'series' | 'format'>;

/** Lists only minutes with data. */
function ChartTable({ title, minutes, series, format }: TableProps) {
  const rows = minutes.filter((minute) => series.some(({ valueIn }) => (valueIn(minute) ?? 0) > 0));
  if (rows.length === 0) return <p className="text-muted">{metricsText.nothing}</p>;
  return (
    <div className="max-h-56 overflow-y-auto" role="group" aria-label={title} tabIndex={-1}>
      <table className="tabular w-full text-left">
        <caption className="sr-only">{metricsText.tableOf(title)}</caption>
        <thead className="text-xs text-muted">
          <tr>
            <th className="font-medium">{metricsText.minute}</th>
            {series.map(({ name }) => (
              <th key={name} className="text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map((minute) => (
            <tr key={minute.at} className="border-t border-line">
              <td>{clockTime(minute.at)}</td>
              {series.map(({ name, valueIn }) => {
                const value = valueIn(minute);
                return (
                  <td key={name} className="text-right">
                    {value === null ? metricsText.none : format(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

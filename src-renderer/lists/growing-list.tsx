import type { ReactNode } from 'react';
import type { GrowingListState } from '#renderer/lists/use-growing-list.ts';
import { NewRowsButton } from '#renderer/ui/buttons/new-rows-button.tsx';

interface Props {
  readonly list: GrowingListState;
  readonly label: string;
  /** Label of the button that scrolls to new rows. */
  readonly newLabel: (newCount: number) => string;
  readonly className: string;
  readonly rowClassName: string;
  /** Rows dropped from the start, which keeps the keys of the others. */
  readonly dropped?: number;
  /** The number of rows, if each row tells its position. */
  readonly setSize?: number;
  readonly children: (index: number) => ReactNode;
}

/** Use inside an element with `relative`. */
export function GrowingList(props: Props) {
  const { list, label, newLabel, className, rowClassName, dropped = 0, setSize, children } = props;
  const { scroller, virtualizer, newCount, scrollToEnd } = list;
  return (
    <>
      <div
        ref={scroller}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable by keyboard.
        tabIndex={0}
        role="group"
        aria-label={label}
        className={`overflow-y-auto overscroll-contain [overflow-anchor:none] ${className}`}
      >
        <ol className="relative" style={{ height: `${virtualizer.getTotalSize()}px` }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => (
            <li
              key={index + dropped}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-setsize={setSize}
              aria-posinset={setSize === undefined ? undefined : index + 1}
              className={`absolute inset-x-0 ${rowClassName}`}
              style={{ transform: `translateY(${start}px)` }}
            >
              {children(index)}
            </li>
          ))}
        </ol>
      </div>
      <NewRowsButton
        edge="bottom"
        newCount={newCount}
        label={newLabel(newCount)}
        onPress={scrollToEnd}
      />
    </>
  );
}

// Holds the place of what is on its way, in its final size.

/** @param lines of text, or of a table */
export function Skeleton({ lines }: { lines: number }) {
  return (
    <div aria-busy="true">
      <span class="only-read">Loading</span>
      <div class="skeleton" ref={(element) => element?.style.setProperty('height', `${lines * 1.55}rem`)} />
    </div>
  )
}

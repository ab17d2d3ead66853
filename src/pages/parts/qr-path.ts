// The path of a QR code's dark modules.

/** `get` returns whether a module is dark, which none outside of the code is. */
type Modules = { size: number; get: (x: number, y: number) => boolean }

/** Returns a rectangle for each run of dark modules in a row. */
export function pathOf(code: Modules): string {
  let path = ''
  for (let y = 0; y < code.size; y++) {
    for (let x = 0, end = 0; x < code.size; x = end + 1) {
      end = x
      while (code.get(end, y)) end += 1
      if (end > x) path += `M${x} ${y}h${end - x}v1h${x - end}z`
    }
  }
  return path
}

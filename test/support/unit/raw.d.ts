// A file imported with `?raw` is its text.
declare module '*?raw' {
  const text: string
  export default text
}

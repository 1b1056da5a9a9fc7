/** Files that are embedded in the executable as text. */
declare module '*.sql' {
  const text: string
  export default text
}
/** Files that the executable carries; the value is where they are. */
declare module '*.bundle' {
  const path: string
  export default path
}

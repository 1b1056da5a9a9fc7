declare module '*.sql' {
  const text: string
  export default text
}
declare module '*.bundle' {
  const path: string
  export default path
}

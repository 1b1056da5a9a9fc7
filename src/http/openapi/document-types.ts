export interface ApiDocument {
  readonly openapi: '3.1.0'
  readonly info: ApiInfo
  readonly servers: readonly ApiServer[]
  readonly tags: readonly ApiTag[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: Components
}

interface ApiInfo {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly license: { readonly name: string; readonly identifier: string }
}

interface ApiServer {
  readonly url: string
  readonly description?: string
}

export interface ApiTag {
  readonly name: string
  readonly description: string
}

export type Method = 'get' | 'put' | 'post' | 'delete'

export interface PathItem extends Partial<Record<Method, ApiOperation>> {
  readonly servers?: readonly ApiServer[]
}

export interface ApiOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  /** Missing: open to all. `{}` in the list: credentials are optional. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, ApiResponse | Ref>>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description: string
  readonly schema: Schema
  readonly example?: string
}

export interface ApiResponse {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>>
  readonly content?: Content
}

export type Content = Readonly<Record<string, MediaType>>

export interface MediaType {
  readonly schema: Schema | Ref
  readonly example?: unknown
}

export interface Ref {
  readonly $ref: string
}

export interface Schema {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema | Ref>>
  readonly required?: readonly string[]
  readonly items?: Schema | Ref | false
  readonly prefixItems?: readonly (Schema | Ref)[]
  readonly anyOf?: readonly (Schema | Ref)[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export interface Components {
  readonly schemas: Readonly<Record<string, Schema>>
  readonly responses: Readonly<Record<string, ApiResponse>>
  readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>
}

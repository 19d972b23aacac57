/** What a template is parsed into. */

export type Node =
  | { readonly type: 'text'; readonly text: string; readonly line: number }
  | { readonly type: 'print'; readonly value: Expression; readonly line: number }
  | {
      readonly type: 'set';
      readonly name: string;
      readonly isNew: boolean;
      readonly value: Expression;
      readonly line: number;
    }
  /** A call of another template. Null: without a value. */
  | { readonly type: 'template'; readonly name: string; readonly value: Expression | null; readonly line: number }
  | {
      readonly type: 'if' | 'with';
      readonly name: string | null;
      readonly value: Expression;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
      readonly line: number;
    }
  | {
      readonly type: 'range';
      readonly index: string | null;
      readonly element: string | null;
      readonly value: Expression;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
      readonly line: number;
    };

export type Expression =
  | { readonly type: 'literal'; readonly value: string | number | boolean | null }
  /** A path from the dot, a variable or a parenthesized pipeline. */
  | { readonly type: 'path'; readonly from: Expression | 'dot'; readonly path: readonly string[] }
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'call'; readonly name: string; readonly values: readonly Expression[] };

/** A template with those that it defines. */
export interface TemplateTree {
  readonly nodes: readonly Node[];
  readonly templates: ReadonlyMap<string, readonly Node[]>;
}

/** A kind of mail, as the server lists it. */
export interface ShownTemplate {
  readonly kind: string;
  readonly in_words: string;
  readonly subject: string;
  readonly is_notice: boolean;
  readonly is_sent: boolean;
  readonly has_own_template: boolean;
}

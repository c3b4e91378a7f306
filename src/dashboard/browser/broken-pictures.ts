/** Says of a picture of a result that it cannot be read, where a browser would show a torn one in an empty frame. */
export function markBrokenPictures(): void {
  // Errors of pictures do not bubble.
  document.addEventListener('error', ({ target }) => mark(target), true);
  // Not `document.images`: that gets shorter with each picture that is replaced, and the next one would be passed over.
  for (const image of document.querySelectorAll('img')) {
    if (image.complete && image.currentSrc !== '' && image.naturalWidth === 0) mark(image);
  }
}

function mark(image: unknown): void {
  if (!(image instanceof HTMLImageElement)) return;
  // What is left of a comparison then stands side by side, and each part says it of itself.
  const frame = image.closest('.image-frame');
  if (frame !== null) return frame.remove();
  const note = Object.assign(document.createElement('span'), {
    className: 'soft small',
    textContent: 'This picture cannot be read',
  });
  if (image.closest('.picture') !== null) image.replaceWith(note);
}

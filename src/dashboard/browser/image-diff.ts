/** `<image-diff data-expected data-actual>`: lays the two pictures over each other, with a slider between them. */
class ImageDiff extends HTMLElement {
  connectedCallback(): void {
    const { expected, actual, label = '' } = this.dataset;
    if (expected === undefined || actual === undefined || this.querySelector('.image-slider') !== null)
      return;
    const frame = document.createElement('div');
    frame.className = 'image-slider';
    const under = picture(expected, `Expected: ${label}`);
    const over = picture(actual, `Actual: ${label}`);
    over.className = 'over';
    const slider = document.createElement('input');
    slider.type = 'range';
    slider.max = '100';
    slider.value = '50';
    slider.setAttribute('aria-label', 'How much of the actual picture covers the expected one');
    const show = (): void => {
      over.style.setProperty('clip-path', `inset(0 0 0 ${100 - Number(slider.value)}%)`);
      frame.style.setProperty('--at', `${100 - Number(slider.value)}%`);
    };
    slider.addEventListener('input', show);
    show();
    const pictures = document.createElement('div');
    pictures.className = 'image-pair';
    pictures.append(under, over);
    frame.append(slider, pictures);
    this.prepend(frame);
  }
}

function picture(src: string, alt: string): HTMLImageElement {
  const image = document.createElement('img');
  image.src = src;
  image.alt = alt;
  return image;
}

customElements.define('image-diff', ImageDiff);

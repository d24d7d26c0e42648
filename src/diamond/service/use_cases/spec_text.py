def parse(text):
    raise NotImplementedError


def render(spec):
    raise NotImplementedError

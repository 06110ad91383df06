BREW = 4  # until <|im_end|>
POUR = 2

# coding: shift_jis
# 設定を読み、検査する
x = 1
